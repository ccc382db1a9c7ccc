// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Counter} from "../src/Counter.sol";
import {vm} from "../src/Vm.sol";

/// Runs on a fork of a node whose counter, COUNTER, is at 42 (script/Deploy.s.sol).
contract ForkTest {
    bool public constant IS_TEST = true;

    Counter private counter;

    function setUp() external {
        counter = Counter(vm.envAddress("COUNTER"));
    }

    function test_readsTheNode() external view {
        require(counter.number() == 42, "another number");
        require(address(counter).balance == 1 ether, "another balance");
        require(block.chainid == 31337, "another chain");
        require(block.number > 0, "no block");
    }

    function test_goesOnFromIt() external {
        vm.prank(address(0xbeef));
        counter.increment();
        require(counter.number() == 43, "not counted");
        require(counter.increments(address(0xbeef)) == 1, "not counted for its sender");
    }

    function test_reverts() external {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "counted too far"));
        counter.refuse(10);
    }

    /// Queries the node through forge during the test.
    function test_asksTheNode() external {
        bytes memory id = vm.rpc("eth_chainId", "[]");
        require(id.length > 0, "no chain id");
    }

    /// An older block, before the counter was deployed.
    function test_olderBlock() external {
        vm.createSelectFork("node", vm.envUint("BEFORE"));
        require(address(counter).code.length == 0, "there is code already");
    }

    function testFuzz_counts(uint8 times) external {
        for (uint256 i = 0; i < times % 5; i++) counter.increment();
        require(counter.number() == 42 + uint256(times % 5), "counted wrongly");
    }
}
