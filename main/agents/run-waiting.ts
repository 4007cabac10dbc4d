/** Waiting for a run that another call began, or this one: until it is over, until the time is, or until the client gives up. */
import { Progress } from '../execution/agents/progress.ts';
import type { Call } from './call.ts';
import type { Reached } from './notebook-access.ts';
import { runWords, widgetsThere } from './notebook-run-answer.ts';
import type { NotebookRun } from './notebook-runs.ts';
import { keepRunImages, runCard } from './run-card.ts';
import type { Tell, ToolContext } from './tool.ts';

/**
 * Shows the run in the call's card all the while. Resolves in each of these cases, and leaves the run alone: a call that its client gave up still gives an answer, which a second try under
 * the same key gets. Throws StoppedError when a person stopped it.
 */
export async function awaitRun(
  run: NotebookRun,
  reached: Reached,
  context: ToolContext,
  call: Call,
  tell: Tell,
  timeoutMs: number,
): Promise<void> {
  const { session, document } = reached.notebook;
  const keys = new Set(run.keys);
  let over = false;
  const show = () => {
    if (over) return;
    call.waits(run.endedAt === null ? queueWords(run, reached) : null);
    call.show(runCard(run, reached, context.reach.cwd));
  };
  const progress = new Progress(
    () => runWords(run, reached),
    (words) => {
      tell(words);
      show();
      void keepRunImages(run, reached, context).then((fresh) => fresh && show());
    },
  );
  const stops = [
    session.on('runs', (changed) => {
      const running = changed.find((key) => keys.has(key) && session.runs().get(key)?.state === 'running');
      if (running !== undefined) context.pointAt(document.id, running);
      if (changed.some((key) => keys.has(key))) progress.changed();
    }),
    document.on('outputs', (key) => {
      if (keys.has(key)) progress.changed();
    }),
  ];
  progress.changed();
  try {
    await settled(run.done, timeoutMs, call.signal).catch((error: unknown) => {
      if (call.stopped) throw error;
    });
    await progress.end();
    await widgetsThere(run, reached);
    await keepRunImages(run, reached, context);
    show();
  } finally {
    over = true;
    for (const stop of stops) stop();
  }
}

/** What a run waits for of which nothing has begun; null when it has, or nothing else runs. */
function queueWords({ keys }: NotebookRun, { notebook: { session, document } }: Reached): string | null {
  const runs = session.runs();
  if (keys.some((key) => runs.get(key)?.state !== 'queued')) return null;
  const order = document.keys();
  const running = order.findIndex((key) => runs.get(key)?.state === 'running');
  return running === -1 ? null : `Waits for cell ${running} of ${document.title}, which runs.`;
}

/** Brings the card of a call that is over to the run's end: the person who looks at it later must not see it run for ever. */
export async function showEnd(run: NotebookRun, reached: Reached, context: ToolContext, call: Call): Promise<void> {
  await run.done;
  await widgetsThere(run, reached);
  await keepRunImages(run, reached, context);
  const { summary } = call.value.card;
  const card = runCard(run, reached, context.reach.cwd);
  call.amend(summary.startsWith('Error:') ? { ...card, summary } : card);
}

/** Resolves with the work or with the time, whichever comes first. Throws the signal's reason. */
export function settled(work: Promise<unknown>, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    const over = (): void => {
      end();
      resolve();
    };
    const abort = (): void => {
      end();
      reject(signal.reason);
    };
    const timer = setTimeout(over, timeoutMs);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    work.then(over, over);
  });
}
