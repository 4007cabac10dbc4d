/**
 * A rendered markdown cell or output. The content is built outside React (the sanitizer gives elements, not text) and replaced as a whole
 * when its source changes; clicks on links never navigate the window.
 */
import type { JSX, MouseEvent } from 'react';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import styles from './markdown.module.css';
import type { ImageUrl } from './markdown-content.ts';
import { markdownContent } from './markdown-content.ts';
import { loadMath } from './math-view.ts';

export interface MarkdownProps {
  source: string;
  /** Keep it the same from one drawing to the next: another one loads the images again. Without it only data URLs are shown. */
  imageUrl?: ImageUrl;
  /** Gets the address as written: of the web, relative to the folder, or `#anchor` of a heading that is not in the page now. */
  onOpenLink: (href: string) => void;
}

/** Rendering time grows with length; a text like this is no prose. */
const MAX_LENGTH = 1_000_000;
/** Data URLs don't count: they are taken out before parsing. */
const MAX_LENGTH_WITH_DATA = 64_000_000;
const noImages: ImageUrl = () => null;

export const Markdown = memo(function Markdown(props: MarkdownProps): JSX.Element {
  const { source, imageUrl = noImages } = props;
  const element = useRef<HTMLDivElement>(null);
  const [mathVersion, setMathVersion] = useState(0);
  const isTooLong = source.length > (source.includes('data:image/') ? MAX_LENGTH_WITH_DATA : MAX_LENGTH);

  // biome-ignore lint/correctness/useExhaustiveDependencies: mathVersion is why the content is built again
  useLayoutEffect(() => {
    if (isTooLong || !element.current) return;
    const { fragment, needsMath } = markdownContent(source, imageUrl);
    element.current.replaceChildren(fragment);
    if (!needsMath) return;
    let isCurrent = true;
    void loadMath().then(() => {
      if (isCurrent) setMathVersion((version) => version + 1);
    });
    return () => {
      isCurrent = false;
    };
  }, [source, imageUrl, isTooLong, mathVersion]);

  const follow = (event: MouseEvent): void => {
    const link = (event.target as Element).closest('a');
    const href = link?.getAttribute('href') ?? link?.getAttribute('xlink:href');
    if (!link || event.button > 1) return;
    event.preventDefault();
    if (!href) return;
    const target = href.startsWith('#') ? anchorInPage(href.slice(1)) : null;
    if (target) target.scrollIntoView({ block: 'start', behavior: 'auto' });
    else props.onOpenLink(href);
  };

  if (isTooLong) return <pre className={styles.raw}>{source.slice(0, MAX_LENGTH)}</pre>;
  // The links inside are what is operated; the handler only catches what bubbles from them.
  // biome-ignore lint/a11y/noStaticElementInteractions: as said
  // biome-ignore lint/a11y/useKeyWithClickEvents: a link's key press arrives as a click
  return <div ref={element} className={styles.markdown} onClick={follow} onAuxClick={follow} />;
});

function anchorInPage(name: string): Element | null {
  const wanted = decodeAnchor(name);
  return document.querySelector(`[data-anchor="${CSS.escape(wanted)}"]`);
}

function decodeAnchor(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
