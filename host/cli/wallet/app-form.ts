import type { NewApp } from '../../wallet/service/app-store.ts'

/** Prints the secret to stdout; it is stored nowhere. */
export function printSecret({ appId, appSecret }: NewApp, json: boolean): void {
  process.stdout.write(
    json
      ? `${JSON.stringify({ appId, appSecret })}\n`
      : `app id      ${appId}\napp secret  ${appSecret}\n`,
  )
  process.stderr.write('The secret is not shown again: only its hash is stored.\n')
}
