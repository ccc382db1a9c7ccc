// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Counter} from "../src/Counter.sol";
import {vm} from "../src/Vm.sol";

/// Deploys a counter and counts to three: four transactions of one sender.
contract Deploy {
    // forge runs only contracts with this marker.
    bool public constant IS_SCRIPT = true;

    function run() external {
        vm.startBroadcast();
        Counter counter = new Counter{value: 1 ether}(40);
        counter.increment();
        counter.increment();
        vm.stopBroadcast();
        require(counter.number() == 42, "not counted");
    }
}
