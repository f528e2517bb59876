/* Included before each source of a build with mutants: asks which mutant runs, and notes which ones a test reaches. */
#ifndef MUTANT_H
#define MUTANT_H

int
mutant_runs(int number);

#endif
