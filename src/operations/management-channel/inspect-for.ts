import { isApiError } from '../../contract/errors/index.ts';
import type { Api } from '../../contract/types/api.ts';
import { Malformed } from '../../fabric/control-channel/malformed.ts';

/** A request for values, and its answer. */
interface Inspected {
  readonly success: boolean;
  readonly errors: readonly string[];
  readonly values: readonly { readonly appId: string; readonly name: string; readonly value: string }[];
}

/**
 * Runs an inspection with the rights of the caller. Values are text in the answer.
 * @throws ApiError `UNAUTHORIZED`
 */
export const inspectFor = async (
  { inspections }: Pick<Api, 'inspections'>,
  controllerId: string,
  read: () => { readonly appRegex: string; readonly requestedValues: readonly string[] },
): Promise<Inspected> => {
  try {
    const { appRegex, requestedValues } = read();
    const { success, errors, values } = await inspections.run({ body: { appRegex, requestedValues } });
    return {
      success,
      errors,
      values: values.map(({ appId, name, value }) => ({ appId, name, value: typeof value === 'string' ? value : JSON.stringify(value) })),
    };
  } catch (error) {
    if (!(error instanceof Malformed) && !(isApiError(error) && error.code === 'COULD_NOT_VALIDATE')) throw error;
    return { success: false, errors: [`${controllerId}: ${error.message}`], values: [] };
  }
};
