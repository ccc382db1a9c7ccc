import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import { parseSecret } from '../../../../host/evm/chain-types/account-key.ts'
import { readSettlerKey } from '../../../../host/payments/settle/settler-key.ts'
import { encryptKey } from '../../../../host/wallet/keys/keystore.ts'

const DIGITS = '5a'.repeat(32)

describe('the key of the settler', () => {
  let folder = ''
  const path = () => join(folder, 'key.json')

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lockstep-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function write(text: string, mode = 0o600): void {
    rmSync(path(), { force: true })
    writeFileSync(path(), text)
    chmodSync(path(), mode)
  }

  async function refusal(passphrase?: string): Promise<LockstepError> {
    const error = await readSettlerKey(path(), passphrase).catch((thrown: unknown) => thrown)
    if (!(error instanceof LockstepError)) throw new Error(`not refused: ${error}`)
    for (const text of [error.message, error.hint, String(error.stack)]) {
      expect(text).not.toContain(DIGITS)
    }
    return error
  }

  test('is read from hex, with 0x or without, and from a keystore', async () => {
    const { address, secret } = parseSecret(DIGITS)
    for (const text of [DIGITS, `0x${DIGITS}\n`]) {
      write(text)
      expect(await readSettlerKey(path())).toEqual({ address, secret })
    }
    write(encryptKey({ address, secret }, 'open', { n: 2, r: 1, p: 1 }))
    expect((await readSettlerKey(path(), 'open')).address).toEqual(address)
    expect((await refusal()).code).toBe('CONFIG_INVALID')
    expect((await refusal('shut')).code).toBe('PASSPHRASE_WRONG')
  })

  test.runIf(process.platform !== 'win32')(
    'is refused if others can read it, with the command to run',
    async () => {
      for (const mode of [0o644, 0o640, 0o606]) {
        write(DIGITS, mode)
        const { code, message, hint } = await refusal()
        expect(code).toBe('CONFIG_INVALID')
        expect(message).toContain(`mode 0${mode.toString(8)}`)
        expect(hint).toBe(`run \`chmod 600 ${path()}\``)
      }
    },
  )

  test('is refused if it is invalid, without a digit of it in the error', async () => {
    for (const text of ['', `${DIGITS}0`, DIGITS.slice(1), '00'.repeat(32), 'x'.repeat(70_000)]) {
      write(text)
      expect((await refusal()).code).toBe('CONFIG_INVALID')
    }
    rmSync(path())
    expect((await refusal()).message).toContain('ENOENT')
  })
})
