import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { wayHref, wayOf } from './ways.ts';

/** The link from a list, or from a form, to the setup that creates such entities step by step. */
export const SetupLink = ({ session, group }: { readonly session: Session; readonly group: string }) => {
  const href = wayHref(session, group);
  return href === undefined ? null : (
    <a class="button" href={href}>
      {texts.setup.guided}
    </a>
  );
};

/** The purpose of the setup with the link to it, where there are no such entities yet. */
export const FirstSetup = ({ session, group }: { readonly session: Session; readonly group: string }) => {
  const way = wayOf(session, group);
  return way ? (
    <>
      <p class="muted">{texts.setup.ways[way.name].hint}</p>
      <a class="button primary" href={hrefOf(['setup', way.name])}>
        {texts.setup.ways[way.name].title}
      </a>
    </>
  ) : null;
};
