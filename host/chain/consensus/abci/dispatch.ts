import type { AbciApplication } from './abci-application.ts'
import type { AbciMethod, AbciRequest } from './request.ts'
import {
  encodeApply,
  encodeCheckTx,
  encodeCommitResponse,
  encodeEcho,
  encodeExtendVote,
  encodeFinalizeBlock,
  encodeFlush,
  encodeInfo,
  encodeInitChain,
  encodeListSnapshots,
  encodeLoad,
  encodeOffer,
  encodePrepare,
  encodeProcess,
  encodeQuery,
  encodeVerifyVoteExtension,
} from './response-codec.ts'

/** Read-only methods: any number of them may run at once. */
const READS: ReadonlySet<AbciMethod> = new Set(['echo', 'flush', 'info', 'query', 'check_tx'])

export function isRead({ method }: AbciRequest): boolean {
  return READS.has(method)
}

/** Calls the application and resolves with the encoded response. */
export async function dispatch(
  application: AbciApplication,
  call: AbciRequest,
): Promise<Uint8Array> {
  const { snapshots } = application
  switch (call.method) {
    case 'check_tx':
      return encodeCheckTx(await application.checkTx(call.request))
    case 'echo':
      return encodeEcho(call.message)
    case 'flush':
      return encodeFlush()
    case 'info':
      return encodeInfo(await application.info(call.request))
    case 'query':
      return encodeQuery(await application.query(call.request))
    case 'init_chain':
      return encodeInitChain(await application.initChain(call.request))
    case 'prepare_proposal':
      return encodePrepare(await application.prepareProposal(call.request))
    case 'process_proposal':
      return encodeProcess(await application.processProposal(call.request))
    case 'extend_vote':
      return encodeExtendVote()
    case 'verify_vote_extension':
      // This chain has no vote extensions: accept only an empty one.
      return encodeVerifyVoteExtension(call.extension.length === 0)
    case 'finalize_block':
      return encodeFinalizeBlock(await application.finalizeBlock(call.request))
    case 'commit':
      return encodeCommitResponse(await application.commit())
    case 'list_snapshots':
      return encodeListSnapshots(await snapshots.list())
    case 'offer_snapshot':
      return encodeOffer(await snapshots.offer(call.request))
    case 'load_snapshot_chunk': {
      const { height, format, index } = call.request
      return encodeLoad(await snapshots.load(height, format, index))
    }
    case 'apply_snapshot_chunk':
      return encodeApply(await snapshots.apply(call.request))
  }
}
