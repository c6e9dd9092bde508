"""What a law asks with: the program, the draws, and sizes between recordings."""


class Asker:
    """`random` is the draw's own."""

    def __init__(self, program, draws):
        self.program, self.draws, self.random = program, draws, None
        self.ask, self.say = program.ask, program.say

    def sizes(self, case):
        """Flags that let a recorded step have other sizes: recordings of the same set, and a context
        where they have one; None: the set does not determine them."""
        found = self.draws.recorded.sets[case.truth["set"]]
        others = [size for size in found if size != case.truth["size"]]
        batches, lengths = ({size[i] for size in found} for i in (0, 1))
        if not others or len(batches) < 2 or "-t" in case.models[0].rpartition("/")[2]:
            return None
        flags = {"--recorded": ",".join(found[size] for size in others)}
        if len(lengths) > 1:
            flags["--context"] = self.random.randint(min(lengths), 2 * max(lengths))
        return flags

    def between(self, case, least):
        """(flags of n, flags of n + 1) of a recorded step."""
        flags = self.sizes(case)
        if flags is None:
            return None
        given = {key[2:]: value for key, value in flags.items()}
        given["batch"] = self.random.choice((1, 4, 16, 16, 33))
        if "context" in given and self.random.random() < 0.7:
            n = max(least, self.random.choice((given["context"], 1 << self.random.randint(5, 12)))
                    - self.random.choice((0, 1)))  # fmt: skip
            return {**given, "context": n}, {**given, "context": n + 1}
        n = max(least, given["batch"])
        return {**given, "batch": n}, {**given, "batch": n + 1}
