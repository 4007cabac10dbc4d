/**
 * A button that is an icon: its name and keys are in the tooltip, and its name is what a screen reader says.
 */
import type { LucideIcon } from 'lucide-react';
import { Tooltip } from 'radix-ui';
import type { ComponentProps, JSX } from 'react';
import { bindingOf } from '../notebook/keymap.ts';
import { useApp } from './app.ts';
import type { CommandId } from './command-ids.ts';
import styles from './icon-button.module.css';
import { Keys } from './keys.tsx';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'title' | 'children'> {
  icon: LucideIcon;
  label: string;
  /** The command whose keys the tooltip shows. */
  command?: CommandId;
  size?: number;
  side?: 'top' | 'right' | 'bottom' | 'left';
  pressed?: boolean;
}

export function IconButton({
  icon: Icon,
  label,
  command,
  size = 16,
  side = 'bottom',
  pressed,
  className,
  ...rest
}: IconButtonProps): JSX.Element {
  return (
    <Hint label={label} side={side} {...(command ? { command } : {})}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        className={[styles.button, className].filter(Boolean).join(' ')}
        {...rest}
      >
        <Icon size={size} strokeWidth={1.75} aria-hidden="true" />
      </button>
    </Hint>
  );
}

interface HintProps {
  label: string;
  command?: CommandId;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: JSX.Element;
}

/** A tooltip with the keys of a command. */
export function Hint({ label, command, side = 'bottom', children }: HintProps): JSX.Element {
  const { mac } = useApp();
  const binding = command ? bindingOf(command) : null;
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className={styles.tip} side={side} sideOffset={6} collisionPadding={8}>
          {label}
          {binding && <Keys keys={binding.keys} mac={mac} />}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
