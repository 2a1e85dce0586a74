/** The icons in `styles/icons.css`. */
export type IconName =
  | 'access'
  | 'activity'
  | 'add'
  | 'audit'
  | 'config'
  | 'leave'
  | 'lock'
  | 'menu'
  | 'more'
  | 'network'
  | 'overview'
  | 'person'
  | 'policy'
  | 'router'
  | 'search'
  | 'service'
  | 'setup'
  | 'traffic';

/** An icon in the colour of the text beside it, which says the same. */
export const Icon = ({ name }: { readonly name: IconName }) => <span class={`icon icon-${name}`} />;
