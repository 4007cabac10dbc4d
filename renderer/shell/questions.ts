/**
 * Questions that must be answered before something goes on. One is asked at a time; the others wait in order, so that no answer can be
 * given to the wrong one. Escape always means the answer that changes nothing.
 */
import type { Store } from './store.ts';
import { createStore } from './store.ts';

export interface Choice {
  id: string;
  label: string;
  tone: 'main' | 'danger' | 'plain';
}

export interface Question {
  title: string;
  body: string;
  /** Names the answer is about, shown as a list. */
  items?: readonly string[];
  /** From the safest to the one meant; `cancel` is added by the dialog. */
  choices: readonly Choice[];
}

interface Asked extends Question {
  answer: (id: string | null) => void;
}

export class Questions {
  readonly current: Store<Asked | null> = createStore<Asked | null>(null);
  readonly #waiting: Asked[] = [];

  /** Resolves to the id of the choice, or to null when the person cancels. */
  ask(question: Question): Promise<string | null> {
    return new Promise((resolve) => {
      const asked: Asked = {
        ...question,
        answer: (id) => {
          this.current.set(this.#waiting.shift() ?? null);
          resolve(id);
        },
      };
      if (this.current.get()) this.#waiting.push(asked);
      else this.current.set(asked);
    });
  }
}
