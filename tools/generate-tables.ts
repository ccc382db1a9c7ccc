/**
 * Writes from tools/tables/ what engine and host share: constants for assembly/ and for host/, and the labels of the
 * interpreter's cases without code of their own. node tools/generate-tables.ts [--check]
 */
import { writeGenerated, writeRegions } from './generated-files.ts'
import * as assembly from './tables/assembly-text.ts'
import * as chain from './tables/chain-precompile-text.ts'
import * as host from './tables/host-text.ts'
import { precompileDispatchSource } from './tables/precompile-dispatch.ts'

const GENERATOR = 'tools/generate-tables.ts'

function folder(path: string): URL {
  return new URL(`../${path}/generated/`, import.meta.url)
}

writeGenerated(GENERATOR, folder('assembly'), {
  'fault.ts': assembly.faultSource,
  'frame-kind.ts': assembly.frameKindSource,
  'host-call.ts': assembly.hostCallSource,
  'gas.ts': assembly.gasSource,
  'limit.ts': assembly.limitSource,
  'message-flag.ts': assembly.messageFlagSource,
  'opcode.ts': assembly.opcodeSource,
  'precompile-failure.ts': assembly.precompileFailureSource,
  'precompile.ts': assembly.precompileSource,
  'rejection.ts': assembly.rejectionSource,
  'revision.ts': assembly.revisionSource,
  'status.ts': assembly.statusSource,
  'superinstruction.ts': assembly.superinstructionSource,
  'trace-record.ts': assembly.traceRecordSource,
})

writeGenerated(GENERATOR, folder('assembly/precompile'), {
  'dispatch.ts': precompileDispatchSource,
})

writeGenerated(GENERATOR, folder('assembly/module'), {
  'function.ts': chain.moduleFunctionSource,
  'gas.ts': chain.moduleGasSource,
  'native.ts': chain.moduleNativeSource,
})

writeGenerated(GENERATOR, folder('host/evm/chain-types'), {
  'chain-precompile.ts': chain.chainPrecompileSource,
  'gas.ts': host.gasSource,
  'limit.ts': host.limitSource,
  'precompile.ts': host.precompileSource,
  'revision.ts': host.revisionSource,
})

writeGenerated(GENERATOR, folder('host/evm/engine'), {
  'fault.ts': host.faultSource,
  'frame-kind.ts': host.frameKindSource,
  'host-call.ts': host.hostCallSource,
  'message-flag.ts': host.messageFlagSource,
  'opcode.ts': host.opcodeSource,
  'precompile-failure.ts': host.precompileFailureSource,
  'rejection.ts': host.rejectionSource,
  'status.ts': host.statusSource,
  'trace-record.ts': host.traceRecordSource,
})

writeRegions(GENERATOR, new URL('../assembly/evm/interpreter/interpreter.ts', import.meta.url), {
  'opcodes out of line': assembly.outOfLineLabels,
  'unassigned bytes': assembly.unassignedLabels,
})
