import { useMemo, useState } from 'preact/hooks';
import { previewOf } from '../kinds.ts';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { RouterEnrollment } from '../parts/router-enrollment.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { Created } from './created.tsx';
import { fieldsOfGroup } from './fields.ts';
import { useFollowed } from './followed.ts';
import { Steps, useSetup } from './steps.tsx';
import type { WayProps } from './way-props.ts';

const t = texts.setup.router;

/** Creates an edge router, and shows how it starts. */
export const AddRouter = ({ session, query }: WayProps) => {
  const fields = useMemo(() => fieldsOfGroup(session, 'edgeRouters', ['name', 'roleAttributes', 'isTunnelerEnabled']), []);
  const setup = useSetup('add-router', fields);
  const [isConfirming, setConfirming] = useState(false);
  if (query['id'] !== undefined) return <Starting session={session} id={query['id']} />;
  const body = () => setup.body() as { name: string }; // the fields above
  return (
    <>
      <Steps
        setup={setup}
        steps={[{ ...t.steps.router, fields }]}
        at={query['step']}
        action={t.action}
        finish={() => setConfirming(true)}
      />
      {isConfirming && (
        <ChangeDialog
          title={texts.setup.ways['add-router'].title}
          action={t.action}
          name="setup/add-router"
          preview={(options) => previewOf('edgeRouters').create({ body: body() }, options)}
          carryOut={async (options) => {
            const { id } = await client.edgeRouters.create({ body: body() }, options);
            setup.state.startOver();
            goTo(hrefOf(['setup', 'add-router'], { id }), { isReplacing: true });
          }}
          refused={setup.refuse}
          close={() => setConfirming(false)}
        />
      )}
    </>
  );
};

/** A new router, until it is online. */
const Starting = ({ session, id }: { readonly session: Session; readonly id: string }) => {
  const loaded = useFollowed(session, `starting ${id}`, {
    kinds: ['edgeRouter'],
    read: (signal) => client.edgeRouters.get({ id }, { signal }),
    isDone: ({ isOnline }) => isOnline,
  });
  const router = loaded.value;
  return (
    <Created
      loaded={loaded}
      way="add-router"
      title={t.created(router?.name ?? '')}
      ticks={
        router
          ? [
              { key: 'created', isDone: true, text: t.status.created },
              { key: 'enrolled', isDone: router.isVerified, text: t.status.enrolled },
              { key: 'online', isDone: router.isOnline, text: t.status.online },
            ]
          : []
      }
      links={[{ text: t.open, segments: ['entities', 'edgeRouters', id] }]}
      another={t.another}
    >
      {router && <RouterEnrollment router={router} />}
    </Created>
  );
};
