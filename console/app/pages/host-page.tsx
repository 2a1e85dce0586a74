import type { PageSettings } from '../../document.ts';
import { Heading } from '../parts/heading.tsx';
import { settings } from '../settings.ts';

interface Props {
  readonly page: PageSettings['pages'][number];
}

const SANDBOX = 'allow-scripts allow-forms allow-popups allow-downloads';

/** A page of the host in a frame. It cannot reach the console, nor lead it elsewhere. */
export const HostPage = ({ page: { label, address } }: Props) => {
  // A page of the console's origin that keeps its origin could remove its own sandbox. The policy lets each page go to the origins of all.
  const areOthers = settings.pages.every((page) => new URL(page.address).origin !== location.origin);
  return (
    <>
      <Heading text={label} />
      <iframe
        class="hosted"
        title={label}
        src={address}
        sandbox={areOthers ? `${SANDBOX} allow-same-origin` : SANDBOX}
        referrerpolicy="no-referrer"
      />
    </>
  );
};
