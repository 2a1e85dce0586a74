import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface Props {
  readonly icon: IconName;
  readonly text: string;
  /** The purpose of what would be here. */
  readonly hint?: string | undefined;
  /** The next step. */
  readonly children?: ComponentChildren;
}

/** Something that has nothing to show yet, what it is for, and the next step. */
export const Empty = ({ icon, text, hint, children }: Props) => (
  <div class="empty">
    <Icon name={icon} />
    <p>
      <strong>{text}</strong>
    </p>
    {hint && <p class="muted">{hint}</p>}
    {children}
  </div>
);
