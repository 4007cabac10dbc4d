/** Keeps a fault in drawing one output to that output. React asks for a class here. */
import type { ReactNode } from 'react';
import { Component } from 'react';
import { OutputNote } from './output-note.tsx';

interface OutputBoundaryProps {
  /** A change of it tries again. */
  content: unknown;
  children: ReactNode;
}

interface OutputBoundaryState {
  error: unknown;
  content: unknown;
}

export class OutputBoundary extends Component<OutputBoundaryProps, OutputBoundaryState> {
  override state: OutputBoundaryState = { error: null, content: this.props.content };

  static getDerivedStateFromError(error: unknown): Partial<OutputBoundaryState> {
    return { error };
  }

  static getDerivedStateFromProps(props: OutputBoundaryProps, state: OutputBoundaryState): Partial<OutputBoundaryState> | null {
    return props.content === state.content ? null : { error: null, content: props.content };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <OutputNote action={{ label: 'Try again', run: () => this.setState({ error: null }) }}>
        This output could not be shown: {error instanceof Error ? error.message : String(error)}
      </OutputNote>
    );
  }
}
