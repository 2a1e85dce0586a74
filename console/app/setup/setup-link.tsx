import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { wayHref } from './ways.ts';

/** The link from a list, or from a form, to the setup that creates such entities step by step. */
export const SetupLink = ({ session, group }: { readonly session: Session; readonly group: string }) => {
  const href = wayHref(session, group);
  return href === undefined ? null : (
    <a class="button" href={href}>
      {texts.setup.guided}
    </a>
  );
};
