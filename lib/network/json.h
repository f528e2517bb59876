/* What the two sides of the network's JSON share. */
#ifndef NETWORK_JSON_H
#define NETWORK_JSON_H

#define NETWORK_FORMAT "memmodel-network"
enum { NETWORK_VERSION = 1 };

#endif
