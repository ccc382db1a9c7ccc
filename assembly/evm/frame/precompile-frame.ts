import { NONE, OUT_OF_GAS, PRECOMPILE_FAILED, REVERTED } from '../../generated/fault'
import {
  FAILED,
  OUT_OF_GAS as OUT_OF_GAS_RESULT,
  REVERTED as REVERTED_RESULT,
} from '../../generated/host-call'
import { CALL_HOST, DONE, EXHAUSTED, TRACE_FULL } from '../../generated/status'
import { RETURN_DATA, RETURN_DATA_SIZE } from '../../layout'
import { precompileFailure } from '../../precompile/failure'
import { isHostPrecompile, precompileGas, runPrecompile } from '../../precompile/generated/dispatch'
import { isDrainDue, isTracing } from '../../trace/trace-buffer'
import { spendFuel } from '../machine/fuel'
import { exhausted, setExhausted } from '../machine/registers'
import { revision } from '../revision'
import { depth, GAS, INPUT, INPUT_SIZE, IS_ASKED, leave, PRECOMPILE, top } from './frame'

/** PRECOMPILE of a frame whose gas and output the host supplies. */
export const HOST: i32 = -1

/** Makes the pushed frame a precompile. */
export function runPrecompileFrame(id: i32): void {
  store<i32>(top, id, PRECOMPILE)
}

/** Runs the precompile of the top frame. */
function runTop(): void {
  const id = load<i32>(top, PRECOMPILE)
  const input: usize = load<u32>(top, INPUT)
  const size = load<u32>(top, INPUT_SIZE)
  const cost = precompileGas(id, input, size, revision)
  const gas = load<i64>(top, GAS)
  if (cost > u64(gas)) return leave(OUT_OF_GAS, 0, 0, 0, 0)
  if (usize(size) > RETURN_DATA_SIZE) return setExhausted(true)
  spendFuel(cost)
  const length = runPrecompile(id, input, size, revision, RETURN_DATA)
  if (length >= 0) return leave(NONE, 0, RETURN_DATA, length, gas - i64(cost))
  // Finding the reason can cost another pairing, so skip it if no trace or outcome shows it
  const isShown = isTracing || depth == 0
  leave(PRECOMPILE_FAILED, isShown ? precompileFailure(id, input, size) : 0, 0, 0, 0)
}

/** Returns true if the top frame waits for the host's result. */
export function isAsked(): bool {
  return top != 0 && load<u32>(top, IS_ASKED) != 0
}

/**
 * Takes the host's result for the top frame (HOST_RESULTS): `gasUsed` and the output. For a failure, `gasUsed` is the
 * number of the reason (host/evm/engine/precompile-failure.ts).
 */
export function answerCall(result: i32, gasUsed: u64, output: usize, size: u32): void {
  const gas = load<i64>(top, GAS)
  store<u32>(top, 0, IS_ASKED)
  if (result == OUT_OF_GAS_RESULT) leave(OUT_OF_GAS, 0, 0, 0, 0)
  else if (result == FAILED) leave(PRECOMPILE_FAILED, gasUsed, 0, 0, 0)
  else if (gasUsed > u64(gas)) leave(PRECOMPILE_FAILED, 0, 0, 0, 0)
  else leave(result == REVERTED_RESULT ? REVERTED : NONE, 0, output, size, gas - i64(gasUsed))
}

/**
 * Runs the precompile frames on top, one after another. Returns a status that stops the run, or -1 if the top frame
 * has code to run.
 */
export function settle(): i32 {
  while (true) {
    if (exhausted) return EXHAUSTED
    if (isDrainDue()) return TRACE_FULL
    if (top == 0) return DONE
    const id = load<i32>(top, PRECOMPILE)
    if (id == 0) return -1
    if (id != HOST && !isHostPrecompile(id)) {
      runTop()
    } else {
      if (id != HOST) {
        // The engine charges; the host only computes
        const cost = precompileGas(id, load<u32>(top, INPUT), load<u32>(top, INPUT_SIZE), revision)
        const gas = load<i64>(top, GAS)
        if (cost > u64(gas)) {
          leave(OUT_OF_GAS, 0, 0, 0, 0)
          continue
        }
        store<i64>(top, gas - i64(cost), GAS)
      }
      store<u32>(top, 1, IS_ASKED)
      return CALL_HOST
    }
  }
}
