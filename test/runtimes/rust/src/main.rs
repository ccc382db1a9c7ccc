//! Runs a transaction on the engine's component: `lockstep-runtime COMPONENT < job.json`
//! (test/support/engine/runtime-job.ts).

use serde_json::{Value, from_reader, json};
use sha2::{Digest, Sha256};
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Result, Store};

wasmtime::component::bindgen!({ world: "machine", path: "../../../assembly/engine.wit" });
use exports::lockstep::engine::engine::{Block, MessageOptions, Revision, Status, Transaction, Word};

fn bytes(value: &Value) -> Vec<u8> {
    let digits = &value.as_str().expect("0x and digits")[2..];
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".into(), |text, byte| format!("{text}{byte:02x}"))
}

/// 256-bit numbers are passed as four 64-bit limbs, the lowest first.
fn word(value: &Value) -> Word {
    let limbs: Vec<u64> = bytes(value).rchunks(8).map(|limb| u64::from_be_bytes(limb.try_into().unwrap())).collect();
    (limbs[0], limbs[1], limbs[2], limbs[3])
}

fn main() -> Result<()> {
    let job: Value = from_reader(std::io::stdin())?;
    let (block, sent, accounts) = (&job["block"], &job["transaction"], &job["accounts"]);
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let component = Component::from_file(&engine, std::env::args().nth(1).expect("the component's path"))?;
    let machine = Machine::instantiate(&mut store, &component, &Linker::new(&engine))?;
    let evm = machine.lockstep_engine_engine();
    let begun = evm.call_begin_block(&mut store, &Block {
        revision: Revision::Prague, keeps_base_fee: block["keeps-base-fee"] == true,
        number: block["number"].as_u64().unwrap(), timestamp: block["timestamp"].as_u64().unwrap(),
        gas_limit: block["gas-limit"].as_u64().unwrap(), hash_seed: 1,
        chain_id: word(&block["chain-id"]), base_fee: word(&block["base-fee"]),
        blob_base_fee: word(&block["blob-base-fee"]), prev_randao: bytes(&block["prev-randao"]),
        coinbase: bytes(&block["coinbase"]), host_addresses: (1, 0),
    })?;
    let sent = evm.call_begin_transaction(&mut store, &Transaction {
        kind: sent["kind"].as_u64().unwrap() as u32, options: MessageOptions::empty(),
        nonce: sent["nonce"].as_u64().unwrap(), gas: sent["gas"].as_u64().unwrap(),
        max_fee_per_gas: word(&sent["max-fee-per-gas"]), value: word(&sent["value"]),
        max_priority_fee_per_gas: word(&sent["max-priority-fee-per-gas"]),
        max_fee_per_blob_gas: word(&sent["max-fee-per-blob-gas"]), sender: bytes(&sent["sender"]),
        to: Some(bytes(&sent["to"])), data: bytes(&sent["data"]),
        access_list: vec![], blob_hashes: vec![], authorizations: vec![],
    })?;
    assert!(begun && sent);
    loop {
        let answer = match evm.call_run(&mut store, 100_000)? {
            Status::Done => break,
            Status::Yield => continue,
            Status::NeedAccount(address) => accounts.get(hex(&address)).map(|found| {
                let nonce = found["nonce"].as_u64().unwrap().to_be_bytes();
                [&nonce[..], &bytes(&found["balance"]), &bytes(&found["codeHash"])].concat()
            }),
            Status::NeedStorage(key) => accounts[hex(&key.address)]["storage"].get(hex(&key.slot)).map(bytes),
            Status::NeedCode(hash) => accounts.as_object().unwrap().values()
                .find(|each| each["codeHash"] == hex(&hash)).map(|found| bytes(&found["code"])),
            other => panic!("this job needs {other:?}"), // pairings are in another module: host/evm/engine/pairing.ts
        };
        assert!(evm.call_answer(&mut store, &answer.unwrap_or_default())?);
    }
    let outcome = evm.call_outcome(&mut store)?.expect("it is done");
    let diff = evm.call_diff(&mut store)?;
    let codes = diff.codes.iter().flat_map(|each| [&each.hash[..], &each.code].concat());
    let rows: Vec<u8> = [diff.accounts, diff.cleared, diff.storage].concat().into_iter().chain(codes).collect();
    let logs: Vec<u8> = outcome.logs.iter().flat_map(|log| [&log.address[..], &log.topics, &log.data].concat()).collect();
    let sha256 = |bytes: &[u8]| hex(&Sha256::digest(bytes))[2..].to_string();
    println!("{}", json!({ "gasUsed": outcome.gas_used, "error": outcome.error, "output": hex(&outcome.output),
        "state": sha256(&rows), "logs": sha256(&logs) }));
    Ok(())
}
