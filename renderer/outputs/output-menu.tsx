/** The quiet menu of an output area: what can be done with all outputs of a cell. */
import { Check, ChevronsDownUp, ChevronsUpDown, Copy, Ellipsis, Eraser, Eye, EyeOff } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { JSX } from 'react';
import menu from './menu.module.css';
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
  onCollapse: (collapsed: boolean) => void;
  onShowAll: (all: boolean) => void;
  onChoose: (mime: string) => void;
  onClear: () => void;
}

export function OutputMenu(props: OutputMenuProps): JSX.Element {
  const { isCollapsed, showsAll } = props;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={styles.trigger} aria-label="Output menu" title="Output menu">
        <Ellipsis aria-hidden size={16} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={menu.content} align="end" sideOffset={4}>
          <DropdownMenu.Item className={menu.item} onSelect={props.onCopy}>
            <Copy aria-hidden size={14} /> Copy as text
          </DropdownMenu.Item>
          <DropdownMenu.Item className={menu.item} onSelect={() => props.onCollapse(!isCollapsed)}>
            {isCollapsed ? <Eye aria-hidden size={14} /> : <EyeOff aria-hidden size={14} />}
            {isCollapsed ? 'Show output' : 'Hide output'}
          </DropdownMenu.Item>
          <DropdownMenu.Item className={menu.item} disabled={isCollapsed} onSelect={() => props.onShowAll(!showsAll)}>
            {showsAll ? <ChevronsDownUp aria-hidden size={14} /> : <ChevronsUpDown aria-hidden size={14} />}
            {showsAll ? 'Limit the height' : 'Show all of it'}
          </DropdownMenu.Item>
          {props.choices.length > 1 && <Choices {...props} />}
          <DropdownMenu.Separator className={menu.separator} />
          <DropdownMenu.Item className={menu.item} onSelect={props.onClear}>
            <Eraser aria-hidden size={14} /> Clear output
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Choices(props: OutputMenuProps): JSX.Element {
  return (
    <>
      <DropdownMenu.Separator className={menu.separator} />
      <DropdownMenu.Label className={menu.label}>Show as</DropdownMenu.Label>
      <DropdownMenu.RadioGroup value={props.chosen ?? props.choices[0]!.mime} onValueChange={props.onChoose}>
        {props.choices.map(({ mime }) => (
          <DropdownMenu.RadioItem key={mime} value={mime} className={menu.item}>
            <span className={menu.check}>
              <DropdownMenu.ItemIndicator>
                <Check aria-hidden size={14} />
              </DropdownMenu.ItemIndicator>
            </span>
            {mimeWords(mime)}
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
    </>
  );
}
