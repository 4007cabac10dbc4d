/**
 * Menus in the window's manner: Radix's behaviour, our look. Items made from a command take their name, keys and state from the registry.
 */
import type { LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { JSX, ReactNode } from 'react';
import { bindingOf } from '../notebook/keymap.ts';
import { useApp } from './app.ts';
import type { CommandId } from './command-ids.ts';
import { Keys } from './keys.tsx';
import styles from './menu.module.css';

interface MenuProps {
  trigger: JSX.Element;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'right' | 'bottom' | 'left';
  label: string;
  onOpenChange?: (open: boolean) => void;
  /** Called instead of giving the focus back to the trigger. */
  onClosed?: () => void;
  children: ReactNode;
}

export function Menu({ trigger, align = 'end', side = 'bottom', label, onOpenChange, onClosed, children }: MenuProps): JSX.Element {
  return (
    <DropdownMenu.Root modal={false} {...(onOpenChange ? { onOpenChange } : {})}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={styles.menu}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={(event) => {
            if (!onClosed) return;
            event.preventDefault();
            onClosed();
          }}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  icon?: LucideIcon;
  label: string;
  keys?: string | null;
  disabled?: boolean;
  danger?: boolean;
  onSelect: () => void;
}

export function MenuItem({ icon: Icon, label, keys, disabled = false, danger = false, onSelect }: MenuItemProps): JSX.Element {
  const { mac } = useApp();
  return (
    <DropdownMenu.Item className={styles.item} disabled={disabled} data-danger={danger} onSelect={onSelect}>
      <span className={styles.icon}>{Icon && <Icon size={14} strokeWidth={1.75} aria-hidden="true" />}</span>
      <span className={styles.label}>{label}</span>
      {keys && <Keys keys={keys} mac={mac} />}
    </DropdownMenu.Item>
  );
}

/** An item for a command, with its own name unless another fits better here. */
export function CommandItem({
  id,
  icon,
  label,
  danger,
}: {
  id: CommandId;
  icon?: LucideIcon;
  label?: string;
  danger?: boolean;
}): JSX.Element {
  const { commands } = useApp();
  return (
    <MenuItem
      label={label ?? commands.get(id).title}
      keys={bindingOf(id)?.keys ?? null}
      disabled={!commands.enabled(id)}
      onSelect={() => commands.run(id)}
      {...(icon ? { icon } : {})}
      {...(danger ? { danger } : {})}
    />
  );
}

export function MenuLine(): JSX.Element {
  return <DropdownMenu.Separator className={styles.line} />;
}

interface MenuChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** A group of which one is chosen. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>): JSX.Element {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={(next) => onChange(next as T)} aria-label={label}>
      <DropdownMenu.Label className={styles.heading}>{label}</DropdownMenu.Label>
      {options.map((option) => (
        <DropdownMenu.RadioItem
          key={option.value}
          value={option.value}
          className={styles.item}
          onSelect={(event) => event.preventDefault()}
        >
          <span className={styles.icon}>
            <DropdownMenu.ItemIndicator className={styles.dot} />
          </span>
          <span className={styles.label}>{option.label}</span>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuCheck({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}): JSX.Element {
  return (
    <DropdownMenu.CheckboxItem
      className={styles.item}
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
    >
      <span className={styles.icon}>
        <DropdownMenu.ItemIndicator className={styles.dot} />
      </span>
      <span className={styles.label}>{label}</span>
    </DropdownMenu.CheckboxItem>
  );
}
