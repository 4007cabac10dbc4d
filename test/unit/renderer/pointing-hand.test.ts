/** Which pointers count as a hand: one that has moved, not one that lay where a window opened. */
import { expect, it } from 'vitest';
import { PointingHand } from '../../../renderer/notebook/pointing-hand.ts';

const TOP = 40;
/** A place of the pointer, in a window that lies at `windowY` on the screen. */
const at = (clientY: number, windowY = 0) => ({ clientY, screenX: 500, screenY: clientY + windowY });

it('is none while the pointer lies where it was, shaken or under a window that moves', () => {
  const hand = new PointingHand();
  expect(hand.y).toBeNull();
  hand.moved(at(440), TOP);
  hand.moved(at(442), TOP);
  hand.moved(at(340, 100), TOP);
  expect(hand.y).toBeNull();
});

it('points from its first real move on', () => {
  const hand = new PointingHand();
  hand.moved(at(440), TOP);
  hand.moved(at(450), TOP);
  expect(hand.y).toBe(410);
  hand.moved(at(440), TOP);
  expect(hand.y).toBe(400);
});

it('points nowhere when it has left, and at once when it comes back', () => {
  const hand = new PointingHand();
  hand.moved(at(440), TOP);
  hand.left();
  expect(hand.y).toBeNull();
  hand.moved(at(440), TOP);
  expect(hand.y).toBe(400);
});

it('that comes in from outside counts with its second step', () => {
  const hand = new PointingHand();
  hand.left();
  hand.moved(at(41), TOP);
  hand.moved(at(60), TOP);
  expect(hand.y).toBe(20);
});
