/**
 * Whether messages of a kernel were sent while nobody was connected. The protocol doesn't number messages, but ipykernel's ids end in the count of
 * all that its session has sent; of a kernel with other ids nothing is known. The hard part is what the new connection itself asks: the kernel
 * says `busy` for it, which is missed when the subscription comes a moment later, and is no loss.
 */
import type { JupyterMessage } from '../kernels/messages.ts';

/** Session and process, then the number. */
const NUMBERED = /^(.+_\d+)_(\d+)$/;

/** What the kernel sends for a question: busy, the reply, idle. */
const QUESTION_MESSAGES = 3;

export class MessageGap {
  readonly #last: { session: string; number: number } | null;
  readonly #received = new Set<number>();
  /** Messages received for each question of this side, by its msg_id. */
  readonly #questions = new Map<string, number>();
  #missed: boolean | null = null;

  /** `last` is the msg_id of the last message before it, null when it isn't known. */
  constructor(last: string | null) {
    this.#last = numberOf(last);
  }

  /** False when nothing was sent in the gap. Null: it can't be told. */
  get missed(): boolean | null {
    return this.#missed;
  }

  /** Takes in a message after the gap. True once `missed` is settled. `asked` are the connection's own questions, in order. */
  isOver(message: JupyterMessage, asked: Iterable<string> = []): boolean {
    const found = numberOf(message.header.msg_id);
    const isPublished = message.channel === 'iopub';
    if (!this.#last || !found) return isPublished;
    // A child of the kernel that speaks on its sockets counts for itself.
    if (found.session !== this.#last.session) return false;
    this.#received.add(found.number);
    const { msg_type: type, msg_id: parent } = message.parent_header;
    const question = type === 'kernel_info_request' && parent !== undefined ? parent : null;
    for (const id of asked) if (!this.#questions.has(id)) this.#questions.set(id, 0);
    if (question !== null) this.#questions.set(question, (this.#questions.get(question) ?? 0) + 1);
    if (!isPublished) return false;
    const unknown = this.#absentBefore(found.number, this.#last.number);
    // Each socket keeps its order: what was published before an answer is here, or was missed.
    if (question !== null) this.#missed = unknown > this.#ownAbsent(question, message.content.execution_state === 'busy');
    else if (unknown > this.#ownAbsent(null, false)) this.#missed = true;
    return this.#missed !== null;
  }

  #absentBefore(end: number, last: number): number {
    let received = 0;
    for (const number of this.#received) if (number > last && number < end) received += 1;
    return Math.max(0, end - last - 1 - received);
  }

  /** Messages for this side's questions that have not come, of those that were sent before this one about `present`; all of them without it. */
  #ownAbsent(present: string | null, isBusy: boolean): number {
    let absent = 0;
    for (const [question, received] of this.#questions) {
      if (question !== present || !isBusy) absent += Math.max(0, QUESTION_MESSAGES - received);
      if (question === present) break;
    }
    return absent;
  }
}

function numberOf(id: string | null): { session: string; number: number } | null {
  const [, session, number] = NUMBERED.exec(id ?? '') ?? [];
  return session === undefined || number === undefined ? null : { session, number: Number(number) };
}
