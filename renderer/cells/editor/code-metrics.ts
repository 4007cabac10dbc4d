/**
 * The measures of code in cells, in pixels. They must equal the tokens `--code-size` and `--code-line` and the paddings of
 * static-source.module.css: static text and editor lie on each other, and a difference would make every click into a cell jump.
 */
export const CODE_SIZE = 13;
export const CODE_LINE = 19;
export const CODE_PAD_TOP = 8;
export const CODE_PAD_BOTTOM = 8;
export const CODE_PAD_LEFT = 12;
export const CODE_PADDING = CODE_PAD_TOP + CODE_PAD_BOTTOM;
