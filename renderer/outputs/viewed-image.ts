/**
 * The image that is looked at large, whatever part of the window showed it. It is kept outside that part, because cells and cards leave the page
 * when they are far from view: an agent that goes on working must not close what the person looks at.
 */
import { createStore } from '../shell/store.ts';
import type { ImageFacts } from './image-facts.ts';

export interface ViewedImage {
  url: string;
  mime: string;
  description: string;
  background: ImageFacts['background'];
  /** What was pressed, or has the menu; the keyboard goes back there. */
  opener: HTMLElement;
}

export const viewedImage = createStore<ViewedImage | null>(null);
