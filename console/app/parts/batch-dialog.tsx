import { useRef } from 'preact/hooks';
import { ApiError, type BatchedOperation, previewing } from '../../../client/index.ts';
import { client } from '../session.ts';
import type { Revisions } from '../undo.ts';
import { ChangeDialog } from './change-dialog.tsx';

interface Props extends Omit<Parameters<typeof ChangeDialog>[0], 'preview' | 'carryOut' | 'refused'> {
  readonly operations: readonly BatchedOperation[];
  /** Called before the change is made. It reads the state that was previewed: the change is not made in any other. */
  readonly begin?: () => Promise<void>;
  /** Called if something has changed since: the operations may have to be others. */
  readonly outdated?: () => void;
  /** Called once the change has been made. */
  readonly done: (revisions: Revisions) => void;
}

/** Changes several entities in one transaction, in the state that was previewed and in no other. */
export const BatchDialog = ({ operations, begin, outdated, done, ...dialog }: Props) => {
  const previewed = useRef<number | undefined>(undefined);
  const body = { operations: [...operations] };
  const refused = (error: unknown): never => {
    if (error instanceof ApiError && error.code === 'PRECONDITION_FAILED') {
      // The next preview is of the state as it is now.
      previewed.current = undefined;
      outdated?.();
    }
    throw error;
  };
  return (
    <ChangeDialog
      {...dialog}
      preview={async (options) => {
        const preview = await previewing(client).batch.run({ body }, options).catch(refused);
        previewed.current ??= preview.revision;
        return preview;
      }}
      carryOut={async (options) => {
        const before = previewed.current;
        await begin?.();
        const condition = before === undefined ? {} : { ifRevision: before };
        const { revision } = await client.batch.run({ body: { ...body, ...condition } }, options).catch(refused);
        done({ before, after: revision });
      }}
    />
  );
};
