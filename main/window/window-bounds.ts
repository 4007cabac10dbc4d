/**
 * Where the window was, and whether it can be there again. The hard case is a screen that is gone: a window that was on it must come back
 * where somebody can see and move it. Pure, but for the schema of the file.
 */
import * as z from 'zod';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const windowStateSchema = z.object({
  x: z.number().int().nullable(),
  y: z.number().int().nullable(),
  width: z.number().int().min(1),
  height: z.number().int().min(1),
  maximized: z.boolean(),
});

/** `x` and `y` null: wherever the system puts it. */
export type WindowState = z.infer<typeof windowStateSchema>;

export const MIN_SIZE = { width: 640, height: 420 };

export const DEFAULT_STATE: WindowState = { x: null, y: null, width: 1360, height: 900, maximized: false };

/** At least this much of the top edge must be on a screen: it is what a window is moved by. */
const GRIP_WIDTH = 120;
const GRIP_HEIGHT = 24;

/** Another window is put this much aside, so that it does not hide the first. */
const CASCADE = 28;

/** The remembered state made to fit the screens there are now (their work areas, the primary one first). */
export function fitState(state: WindowState, screens: readonly Rectangle[]): WindowState {
  const home = screens.find((screen) => holdsGrip(screen, state)) ?? screens[0];
  if (!home) return { ...state, x: null, y: null };
  const width = clamp(state.width, Math.min(MIN_SIZE.width, home.width), home.width);
  const height = clamp(state.height, Math.min(MIN_SIZE.height, home.height), home.height);
  if (state.x === null || state.y === null || !holdsGrip(home, state)) return { ...state, width, height, x: null, y: null };
  return { ...state, width, height };
}

/** Where the next window goes beside one that is at `state`. */
export function besideState(state: WindowState): WindowState {
  if (state.x === null || state.y === null) return { ...state, maximized: false };
  return { ...state, x: state.x + CASCADE, y: state.y + CASCADE, maximized: false };
}

function holdsGrip(screen: Rectangle, { x, y, width }: WindowState): boolean {
  if (x === null || y === null) return false;
  const visible = Math.min(x + width, screen.x + screen.width) - Math.max(x, screen.x);
  return visible >= Math.min(GRIP_WIDTH, width) && y >= screen.y && y + GRIP_HEIGHT <= screen.y + screen.height;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
