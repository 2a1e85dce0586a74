import { useState } from 'preact/hooks';
import type { EdgeRouter } from '../../../client/index.ts';
import { controllerIn, PLATFORMS, type Platform, plainAddress, routerLines } from '../router-lines.ts';
import { texts } from '../texts.ts';
import { fileNameOf, Token } from './token.tsx';
import { Value } from './value.tsx';

const t = texts.setup.router;

/** The token of a router that has not enrolled yet, and the lines that start the router. */
export const RouterEnrollment = ({ router }: { readonly router: EdgeRouter }) => {
  const { name, enrollmentJwt: jwt, enrollmentExpiresAt, isTunnelerEnabled } = router;
  const [platform, setPlatform] = useState<Platform>('linux');
  const [address, setAddress] = useState('');
  if (jwt === undefined || jwt === '') return null;
  const facts = { file: fileNameOf(name), controller: controllerIn(jwt), address: plainAddress(address), isTunnelerEnabled };
  return (
    <section class="panel entity" aria-labelledby="enrollment">
      <h2 id="enrollment">{t.enroll}</h2>
      <p>{t.enrollHint}</p>
      <p class="muted small">
        {texts.enrollment.ends} <Value value={enrollmentExpiresAt} isFull />
      </p>
      <div class="field">
        <label for="router-address">{t.address}</label>
        <input
          id="router-address"
          type="text"
          autocomplete="off"
          aria-describedby="router-address-hint"
          value={address}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
        <p id="router-address-hint" class="muted small">
          {t.addressHint}
        </p>
      </div>
      <div class="field">
        <label for="router-platform">{t.platform}</label>
        <select
          id="router-platform"
          value={platform}
          onChange={(event) => setPlatform(event.currentTarget.value as Platform)} // the options have these values
        >
          {PLATFORMS.map((each) => (
            <option key={each} value={each}>
              {t.platforms[each]}
            </option>
          ))}
        </select>
      </div>
      <Token text={jwt} file={facts.file} lines={routerLines(platform, facts)} />
    </section>
  );
};
