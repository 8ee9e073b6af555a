/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_PAGE_FILES_H
#define DNS64D_CONTROL_PAGE_FILES_H

/*
 * page_files: the files of the page, as make has put them into the program (src/control/embed).
 */

#include <stddef.h>

extern const unsigned char
    page_files_html[]; /* page.html; @name@ stands for a value of control/page */
extern const size_t page_files_html_len;
extern const unsigned char page_files_css[];
extern const size_t page_files_css_len;
extern const unsigned char page_files_js[];
extern const size_t page_files_js_len;

#endif
