/* What each test_NAME.c is compiled with: its main() is declared, under the name that it has in unit.c. */
int
main(void);
