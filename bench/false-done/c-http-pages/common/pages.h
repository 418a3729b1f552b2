/* The body of a page, or NULL. */
const char *page(const char *path);
