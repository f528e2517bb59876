-- pairs() by a name that LuaJIT's compiler does not know. The loops that it makes of `pairs` and `next` can leave their
-- machine code and enter it again for ever without a step (LuaJIT issues 744 and 1000; Debian 12 has such a version).
return pairs
