import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryDir } from '../temporary-storage.ts'

/** Opens a storage on RocksDB in a child process that runs `hook` before every `require`. */
function openWith(hook: string, dir: string): unknown {
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const script = `
    import Module from 'node:module'
    const load = Module._load
    Module._load = (name, ...rest) => {
      if (name === '@nxtedition/rocksdb') { ${hook} }
      return load(name, ...rest)
    }
    const { RocksBackend } = await import(${module('../../../../../host/storage/store/rocksdb/rocksdb-backend.ts')})
    try {
      await RocksBackend.load(() => {}).open(${JSON.stringify(dir)}, ['account'])
    } catch ({ code, message, hint }) {
      console.log(JSON.stringify({ code, message, hint }))
    }`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script])
  return JSON.parse(output.toString())
}

const HINT =
  'npm install --no-save @nxtedition/rocksdb@12.2.12, with --global where lockstep is installed so'

test('RocksDB without its package is refused with the command that installs it', () => {
  const dir = temporaryDir()
  const hook = `throw Object.assign(new Error('Cannot find it'), { code: 'MODULE_NOT_FOUND' })`
  expect(openWith(hook, dir)).toEqual({
    code: 'UNSUPPORTED',
    message: 'ss-backend "rocksdb" needs @nxtedition/rocksdb: it is not installed',
    hint: HINT,
  })
  expect(readdirSync(dir)).toEqual([])
})

test('RocksDB whose package does not run is refused with the error of the package', () => {
  const hook = `throw new Error('No native build was found for platform=plan9')`
  expect(openWith(hook, temporaryDir())).toEqual({
    code: 'UNSUPPORTED',
    message:
      'ss-backend "rocksdb" needs @nxtedition/rocksdb: No native build was found for platform=plan9',
    hint: HINT,
  })
})
