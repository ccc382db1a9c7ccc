import { readFileSync } from 'node:fs'
import { builtModule } from './assembly.ts'

/** Path of commit.wasm, built as asconfig.json builds it. */
export function buildCommitModule(): Promise<string> {
  return builtModule('commit', ['--initialMemory', '512', '--maximumMemory', '512'])
}

/** commit.wasm, compiled. */
export async function compileCommit(): Promise<WebAssembly.Module> {
  return new WebAssembly.Module(readFileSync(await buildCommitModule()))
}
