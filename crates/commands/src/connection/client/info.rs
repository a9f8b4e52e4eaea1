//! CLIENT INFO

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const INFO: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("INFO")
    .group(Group::Connection)
    .exactly(2)
    .flags(super::FLAGS)
    .since("6.2.0")
    .summary("Returns what the server knows of the connection.")
    .complexity("O(1)")
    .tips(&["nondeterministic_output"]);

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    let mut line = Vec::new();
    let client = &ctx.session.client;
    client.describe(ctx.now_ms(), &ctx.server.commands, &mut line);
    line.push(b'\n');
    ctx.reply.verbatim("txt", &line);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn info() {
        let line = |fields: &str, commands: usize| {
            format!(
                "id=1 addr= laddr= fd=0 name={fields} redir=-1 resp=N lib-name= lib-ver= \
                 tot-net-in=0 tot-net-out=0 tot-cmds={commands}\\n"
            )
        };
        let fields = " age=0 idle=0 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 watch=0 qbuf=0 \
                      qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 \
                      tot-mem=SIZE events=r cmd=client|info user=default";
        let fields = fields.replace("SIZE", &size_of::<engine::clients::Client>().to_string());
        let want = format!("$\"{}\"", line(&fields, 0).replace("resp=N", "resp=2"));
        check("CLIENT INFO", &want);
        let want = format!("=txt:{}", line(&fields, 1).replace("resp=N", "resp=3"));
        check3("CLIENT INFO", &want);
    }
}
