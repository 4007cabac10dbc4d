/**
 * Keeps a fault in one part of the window from taking the rest with it: the part gives way to its name, the reason and a second try.
 */
import { TriangleAlert } from 'lucide-react';
import type { ErrorInfo, JSX, ReactNode } from 'react';
import { Component } from 'react';
import styles from './error-boundary.module.css';

interface Props {
  /** What failed, at the start of the sentence: `This cell`. */
  what: string;
  children: ReactNode;
}

export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(`${this.props.what} could not be drawn.`, error, info.componentStack);
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? (
      this.props.children
    ) : (
      <Fault what={this.props.what} error={error} retry={() => this.setState({ error: null })} />
    );
  }
}

function Fault({ what, error, retry }: { what: string; error: Error; retry: () => void }): JSX.Element {
  return (
    <div className={styles.fault} role="alert">
      <TriangleAlert size={16} aria-hidden="true" />
      <div className={styles.words}>
        <p className={styles.title}>{what} could not be drawn. Nothing in the notebook is lost.</p>
        <details>
          <summary>Reason</summary>
          <pre className={styles.reason}>{error.stack ?? error.message}</pre>
        </details>
      </div>
      <button type="button" className={styles.retry} onClick={retry}>
        Draw it again
      </button>
    </div>
  );
}
