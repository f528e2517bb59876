/* Loads no shared library. */
int
main(void)
{
    return 0;
}
