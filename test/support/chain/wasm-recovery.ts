import { concatBytes } from '../../../host/base/bytes.ts'
import type { SignatureRecovery } from '../../../host/evm/chain-types/signature-recovery.ts'
import { BatchRecovery } from '../../../host/evm/engine/batch-recovery.ts'
import { readModule } from '../../../host/node/wasm.ts'
import { wasmKeccak256 } from './wasm-keccak.ts'

const recovery = new BatchRecovery(new WebAssembly.Module(await readModule('recovery')))

/** Sender recovery with recovery.wasm for chains of many transactions. Takes a tenth of the time of `nobleRecovery`. */
export const wasmRecovery: SignatureRecovery = {
  keccak256: wasmKeccak256,
  recoverAddress(digest, yParity, r, s) {
    const answer = recovery.recover(concatBytes([digest, r, s, Uint8Array.of(yParity)]))
    return answer[0] === 1 ? answer.slice(1) : undefined
  },
}
