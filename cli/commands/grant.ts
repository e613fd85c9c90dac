import { readerOf } from '../../pipelines/run/set_up.ts';
import { grantLogin } from '../../store/reader_role.ts';
import { type InspectFlags, inspect } from './inspect.ts';

/** Allows a login role to read the serving tables, and prints the remaining steps. */
export async function grantCommand(login: string, flags: InspectFlags): Promise<void> {
  await inspect(
    flags,
    (client, { config }) => grantLogin(client, login, readerOf(config)),
    ({ role, made, limited }) =>
      [
        `${role} may read the schema serving, and nothing else of the pipeline.`,
        ...(made ? [`It is new and has no password: set one with \\password ${role} in psql.`] : []),
        ...(limited ? [] : [`You lack the right to limit its sessions: ask an administrator.`]),
      ].join('\n'),
  );
}
