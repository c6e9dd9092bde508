"""Predictions record a step as on their device."""
import unittest

import rooflab
from surroundings import StandIn, torch_or_skip

torch = torch_or_skip()


class Devices(StandIn):
    def imitated(self, call, **options):
        call(torch.nn.Linear(4, 8), (6, 4), **options)
        return self.recorded[-1]["imitate"]

    def test_the_first_one_is_imitated(self):
        self.assertEqual(self.imitated(rooflab.predict, device="t4").capability, (7, 5))
        both = self.imitated(rooflab.predict, device=["h200", "t4"])
        self.assertEqual((both.capability, both.multiprocessors), ((9, 0), 132))

    def test_without_one_that_cuda_knows_it_is_the_default(self):
        self.assertIs(self.imitated(rooflab.predict, device="mi300x"), True)
        self.assertIs(self.imitated(rooflab.summary), True)


if __name__ == "__main__":
    unittest.main()
