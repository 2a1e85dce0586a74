import { type Ask, ask, handlerOf } from './fake-api.ts';

export const handle = handlerOf();

/** `415 COULD_NOT_VALIDATE Content-Type` */
export const outcome = async (method: string, target: string, options?: Ask, on = handle) => {
  const { status, json } = await ask(on, method, target, options);
  return [status, json.error?.code, json.error?.cause?.field].filter((part) => part !== undefined).join(' ');
};
