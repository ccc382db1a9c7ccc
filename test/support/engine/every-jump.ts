/** Settings of `CodeCompiler` with which every jump destination is compiled when it is first reached. */
export const EVERY_JUMP = { sample: 1, threshold: 1, opcodes: 0, share: 1000 } as const
