/** The time something has been going on. It counts here alone, so that a second passing draws one number. */
import type { JSX } from 'react';
import { useEffect, useState } from 'react';
import { runningTime } from '../cells/time.ts';

export function Elapsed({ since }: { since: number }): JSX.Element {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <>{runningTime(now - since)}</>;
}
