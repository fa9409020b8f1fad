"""A command of a mechanism of the registry, with the entry's own options."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import click
from attrs import Factory, field, frozen

from finitedp.cli.console import Integer, Rational, json_option
from finitedp.errors import ParameterError
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.mechanisms.kinds import Law, Mechanism, Option, Subject, refuse_large


@frozen(eq=False)
class Chosen:
    """A mechanism chosen on the command line. values: of its options, those left out that were not given.

    Raises: ParameterError for values that it does not take.
    """

    mechanism: Mechanism
    values: Mapping[str, Any]
    running: bool
    subject: Subject = field(init=False, default=Factory(lambda self: self.mechanism.make(**self.values), takes_self=True))
    law: Law = field(init=False, default=Factory(lambda self: self._law(), takes_self=True))

    def _law(self) -> Law:
        """By input: the definition's, or that of the running code by the explorer."""
        release = self.subject.release
        if not self.running:
            return self.subject.law
        if release is None:
            raise ParameterError(
                f"{self.mechanism.name} is a definition and has no running code; --running goes with the other mechanisms"
            )
        return cache(lambda data: explore(lambda coins: release(data, coins)).law())

    @property
    def parameters(self) -> dict[str, str]:
        """The values as text."""
        return {name: str(value) for name, value in self.values.items()}

    @property
    def source(self) -> str:
        """Where the law comes from."""
        return "running code" if self.running else "definition"

    def refuse_large(self, inputs: int) -> None:
        """Refuse to compute the laws of too many inputs, before it starts. Raises: ParameterError."""
        outputs = self.subject.paths if self.running else self.subject.outputs
        refuse_large(inputs * outputs, self.subject.bits)


class _Command(click.Command):
    """A command that names what it takes where it is given another option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments that are left. Raises: UsageError."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            accepted = ", ".join(param.opts[0] for param in self.params)
            ctx.fail(f"{self.name} does not take {error.option_name}; accepted: {accepted}")


def mechanism_command(mechanism: Mechanism, what: str, run: Callable[..., None], *more: click.Parameter) -> click.Command:
    """A command for a mechanism; `run` gets what was chosen, and the values of the other options by name."""
    names = [option.name for option in mechanism.options]

    def callback(*, running: bool, **given: Any) -> None:  # noqa: ANN401  # values of options
        values = {name: given.pop(name) for name in names}
        run(Chosen(mechanism, {name: value for name, value in values.items() if value is not None}, running), **given)

    running = click.Option(
        ["--running"], is_flag=True, help="Derive the law from the running code by the explorer, not from its definition."
    )
    options = [_click_option(option) for option in mechanism.options]
    text = f"{what.format(mechanism.name)}\n\n{mechanism.summary}"
    params = [*options, *more, running]
    return json_option(_Command(mechanism.name, params=params, callback=callback, help=text, short_help=mechanism.summary))


def _click_option(option: Option) -> click.Option:
    kind = Integer if option.kind == "integer" else Rational
    default: dict[str, Any] = {} if option.default is None else {"default": option.default, "show_default": True}
    return click.Option(
        [f"--{option.name.replace('_', '-')}", option.name],
        type=kind(option.check),
        required=option.required,
        help=option.help,
        **default,
    )
