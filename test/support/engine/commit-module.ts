import { readFileSync } from 'node:fs'
import { builtModule } from './assembly.ts'

/** Returns the path of commit.wasm, built as in asconfig.json. */
export function buildCommitModule(): Promise<string> {
  return builtModule('commit', ['--initialMemory', '512', '--maximumMemory', '512'])
}

/** Returns commit.wasm compiled. */
export async function compileCommit(): Promise<WebAssembly.Module> {
  return new WebAssembly.Module(readFileSync(await buildCommitModule()))
}
