/** Lines of a text that grows: only what is new is looked at. Pure but for the last text, which it keeps. */

export function createLineCounter(): (text: string) => number {
  let last = '';
  let feeds = 0;
  return (text) => {
    if (!text.startsWith(last)) {
      last = '';
      feeds = 0;
    }
    for (let at = text.indexOf('\n', last.length); at !== -1; at = text.indexOf('\n', at + 1)) feeds += 1;
    last = text;
    return text === '' || text.endsWith('\n') ? feeds : feeds + 1;
  };
}
