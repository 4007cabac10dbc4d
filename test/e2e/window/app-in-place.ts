/**
 * The real app in a place of its own, for a file of tests or for each of them: the place is there before the first line of a test, and at the end the
 * app is gone before its place is removed, whatever the test did.
 */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { makePlace, type RunningApp, removePlace, startApp, stopApp, type TestPlace } from './start-app.ts';

export interface AppInPlace {
  readonly place: TestPlace;
  /** The one that was started last. */
  readonly app: RunningApp;
  /** Starts it, with files to open. One that still runs is ended before. */
  start(args?: readonly string[]): Promise<RunningApp>;
  /** Ends it whatever its windows would ask. */
  stop(): Promise<void>;
}

/** To be called where tests are collected. */
export function appInPlace(per: 'file' | 'test'): AppInPlace {
  let place: TestPlace | null = null;
  let app: RunningApp | null = null;
  const stop = async (): Promise<void> => {
    if (app) await stopApp(app);
  };
  const [before, after] = per === 'file' ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    app = null;
    place = await makePlace();
  });
  after(async () => {
    await stop();
    if (place) await removePlace(place);
  });
  return {
    get place() {
      return there(place, 'place');
    },
    get app() {
      return there(app, 'app');
    },
    start: async (args = []) => {
      await stop();
      app = await startApp(there(place, 'place'), args);
      return app;
    },
    stop,
  };
}

function there<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`There is no ${what} yet.`);
  return value;
}
