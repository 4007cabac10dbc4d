/** The quiet menu of an output area: what can be done with all outputs of a cell. */
import type { LucideIcon } from 'lucide-react';
import { ChevronsDownUp, ChevronsUpDown, Copy, Ellipsis, Eraser, Eye, EyeOff } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { JSX } from 'react';
import menu from '../shell/menu.module.css';
import type { Representation } from './mime-choice.ts';
import { mimeWords } from './mime-choice.ts';
import styles from './output-menu.module.css';

interface OutputMenuProps {
  isCollapsed: boolean;
  showsAll: boolean;
  /** Other ways to show the output, when there is one output that has several. */
  choices: readonly Representation[];
  chosen: string | null;
  onCopy: () => void;
  onCollapse: () => void;
  onShowAll: (all: boolean) => void;
  onChoose: (mime: string) => void;
  onClear: () => void;
}

export function OutputMenu(props: OutputMenuProps): JSX.Element {
  const { isCollapsed, showsAll } = props;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={styles.trigger} aria-label="Output menu" title="Output menu">
        <Ellipsis aria-hidden size={16} strokeWidth={1.75} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={menu.menu} align="end" sideOffset={4} collisionPadding={8} aria-label="Output">
          <Item icon={Copy} label="Copy as text" onSelect={props.onCopy} />
          <Item icon={isCollapsed ? Eye : EyeOff} label={isCollapsed ? 'Show output' : 'Hide output'} onSelect={props.onCollapse} />
          <Item
            icon={showsAll ? ChevronsDownUp : ChevronsUpDown}
            label={showsAll ? 'Limit the height' : 'Show all of it'}
            disabled={isCollapsed}
            onSelect={() => props.onShowAll(!showsAll)}
          />
          {props.choices.length > 1 && <Choices {...props} />}
          <DropdownMenu.Separator className={menu.line} />
          <Item icon={Eraser} label="Clear output" onSelect={props.onClear} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface ItemProps {
  icon: LucideIcon;
  label: string;
  disabled?: boolean;
  onSelect: () => void;
}

function Item({ icon: Icon, label, disabled = false, onSelect }: ItemProps): JSX.Element {
  return (
    <DropdownMenu.Item className={menu.item} disabled={disabled} onSelect={onSelect}>
      <span className={menu.icon}>
        <Icon aria-hidden size={14} strokeWidth={1.75} />
      </span>
      <span className={menu.label}>{label}</span>
    </DropdownMenu.Item>
  );
}

function Choices(props: OutputMenuProps): JSX.Element {
  return (
    <>
      <DropdownMenu.Separator className={menu.line} />
      <DropdownMenu.RadioGroup value={props.chosen ?? props.choices[0]!.mime} onValueChange={props.onChoose} aria-label="Show as">
        <DropdownMenu.Label className={menu.heading}>Show as</DropdownMenu.Label>
        {props.choices.map(({ mime }) => (
          <DropdownMenu.RadioItem key={mime} value={mime} className={menu.item}>
            <span className={menu.icon}>
              <DropdownMenu.ItemIndicator className={menu.dot} />
            </span>
            <span className={menu.label}>{mimeWords(mime)}</span>
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
    </>
  );
}
