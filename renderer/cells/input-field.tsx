/**
 * The field in a cell whose code waits in `input()`. It takes the focus only when the person is not typing elsewhere; without a prompt it
 * says itself what it is. The field stays until the kernel goes on, so a wait is never hidden.
 */
import type { FormEvent, JSX } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import type { NotebookController } from '../notebook/notebook-controller.ts';
import buttons from '../shell/button.module.css';
import styles from './input-field.module.css';

interface InputFieldProps {
  controller: NotebookController;
  cellKey: string;
  input: { prompt: string; password: boolean };
}

export function InputField({ controller, cellKey, input }: InputFieldProps): JSX.Element {
  const [value, setValue] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    const typing = document.activeElement?.closest('.monaco-editor, input, textarea, [role="dialog"], [role="alertdialog"]');
    if (!typing || controller.mode.get().active === cellKey) field.current?.focus({ preventScroll: true });
  }, [controller, cellKey]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    controller.kernel.provideInput(cellKey, value);
    setValue('');
    controller.refocus();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <label className={styles.prompt} htmlFor={id}>
        {input.prompt || 'The code waits for input'}
      </label>
      <input
        ref={field}
        id={id}
        className={styles.field}
        type={input.password ? 'password' : 'text'}
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && controller.leave()}
      />
      <button type="submit" className={buttons.button}>
        Send
      </button>
    </form>
  );
}
