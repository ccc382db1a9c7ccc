import { buildAssembly } from './assembly.ts'

/** Path of commit.wasm, built as asconfig.json builds it. */
export function buildCommitModule(): Promise<string> {
  return buildAssembly(`export * from './assembly/commit'`, ['--exportStart', '_initialize'])
}
