/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of a page: nothing is obeyed, and pictures do not share names. */

#include "bench/result/html.h"

#include <check.h>
#include <stdlib.h>

#include "support/text.h"

#define TEXT 2048

static FILE *
file_of(const char *text)
{
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	(void)fputs(text, f);
	rewind(f);
	return f;
}

START_TEST(text_is_escaped)
{
	FILE *f = tmpfile();
	char text[TEXT];

	ck_assert_ptr_nonnull(f);
	bench_html_text(f, "<a href='x' title=\"y\">&amp;\n\x01\x7f\xc3\xa9");
	ck_assert_str_eq(text_of(f, text, TEXT),
	    "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;   \xc3\xa9");
}
END_TEST

START_TEST(picture_gets_identifiers_of_its_own)
{
	FILE *in = file_of("<?xml version=\"1.0\"?>\n<svg \n width=\"1\">\n<title>Gnuplot</title>\n"
			   "<g id=\"a\" ><title>b</title><use xlink:href='#gpDot' id='c'/></g>\n"
			   "<g fill=\"url(#d)\"/><text>id=1</text>\n</svg>\n"),
	     *out = tmpfile();
	char text[TEXT];

	ck_assert_ptr_nonnull(out);
	bench_html_svg(out, in, 7);
	(void)fclose(in);
	ck_assert_str_eq(text_of(out, text, TEXT),
	    "<svg \n width=\"1\">\n\n<g id=\"p7-a\" ><use xlink:href='#p7-gpDot' id='p7-c'/></g>\n"
	    "<g fill=\"url(#p7-d)\"/><text>id=1</text>\n</svg>\n");
}
END_TEST

START_TEST(what_is_no_picture_is_left_out)
{
	FILE *in = file_of("something else\n<title>\n"), *out = tmpfile();
	char text[TEXT];

	bench_html_svg(out, in, 1);
	(void)fclose(in);
	ck_assert_str_eq(text_of(out, text, TEXT), "");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_html");
	TCase *tc = tcase_create("HTML");

	tcase_add_test(tc, text_is_escaped);
	tcase_add_test(tc, picture_gets_identifiers_of_its_own);
	tcase_add_test(tc, what_is_no_picture_is_left_out);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
