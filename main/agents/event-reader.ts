/** The data of server-sent events, from text in any pieces. Field names other than `data` mean nothing here. */
export class EventReader {
  readonly #take: (data: string) => void;
  #rest = '';
  #data: string[] = [];

  constructor(take: (data: string) => void) {
    this.#take = take;
  }

  add(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  #line(line: string): void {
    if (line.startsWith('data:')) this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    else if (line === '') {
      const data = this.#data.join('\n');
      this.#data = [];
      if (data !== '') this.#take(data);
    }
  }
}
