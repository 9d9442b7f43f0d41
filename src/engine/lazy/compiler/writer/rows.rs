//! Generates kernels in which a team of items shares a row.

use super::functions::{ADD, LARGER, TEAM_MAX, TEAM_SUM};
use super::{MAX_KEPT_VALUES, Team, Writer};
use crate::engine::lazy::compiler::expression::{Join, Line, Space, Value};

impl<Op: Copy> Writer<'_, Op> {
    /// Writes the body of a kernel over rows.
    pub(super) fn rows(&mut self) -> String {
        let plan = self.plan;
        let Space::Rows { rows, columns, segment } = plan.space else {
            unreachable!("a plan of rows")
        };
        let Team { items, rows: beside, across, .. } = self.team;
        let (parts, local) = (plan.parts(), items * beside);
        let all = rows * parts;
        self.put(0, "{");
        if items > 1 {
            self.put(1, &format!("local float tree[{local}];"));
            let [u, v] = match across {
                true => ["/", "%"].map(|it| format!("{it} {beside}")),
                false => ["%", "/"].map(|it| format!("{it} {items}")),
            };
            self.put(1, &format!("uint u = get_local_id(0) {u};"));
            self.put(
                1,
                &format!(
                    "uint s = get_group_id(0) * {beside} + get_local_id(0) \
                     {v};"
                ),
            );
        } else {
            self.put(1, "uint s = get_global_id(0);");
            self.put(1, "uint u = 0;");
        }
        // There may be more items than needed. If items meet at barriers, the
        // extra ones must reach the barriers too, but store nothing.
        if items == 1 {
            self.put(1, &format!("if (s >= {all})"));
            self.put(2, "return;");
        } else {
            self.put(1, &format!("bool mine = s < {all};"));
            self.put(1, &format!("s = min(s, {}u);", all - 1));
        }
        self.row(parts);
        let (from, to) = match parts {
            1 => ("u".to_owned(), columns.to_string()),
            _ => {
                let from = format!("s % {parts} * {segment}");
                self.put(1, &format!("uint from = {from};"));
                let to = format!("min(from + {segment}, {columns}u)");
                self.put(1, &format!("uint to = {to};"));
                ("from + u".to_owned(), "to".to_owned())
            }
        };
        let guard = if items > 1 { "if (mine) " } else { "" };
        self.keep();
        let last = plan.lines.iter().map(|line| line.phase).max().unwrap_or(0);
        let mut left: Vec<usize> = (0..plan.stores.len())
            .filter(|&out| !plan.stores[out].at.is_row(plan))
            .collect();
        for phase in 0..=last {
            self.lines(
                1,
                |number| {
                    let line = &plan.lines[number];
                    !line.in_columns && line.phase == phase
                },
                &[],
            );
            self.phase(phase, last, &mut left, [&from, &to], guard);
        }
        for (out, store) in plan.stores.iter().enumerate() {
            if store.at.is_row(plan) {
                let at = if parts > 1 { "s" } else { &self.at(&store.at) };
                let guard = match items {
                    1 => "",
                    _ => "if (mine && u == 0) ",
                };
                let line = format!("{guard}out{out}[{at}] = v{};", store.line);
                self.put(1, &line);
            }
        }
        self.put(0, "}");
        std::mem::take(&mut self.text)
    }

    /// Returns the number of columns per item.
    fn loops(&self) -> usize {
        let Space::Rows { columns, .. } = self.plan.space else { return 0 };
        columns.div_ceil(self.team.items)
    }

    /// Keeps the inputs in registers if more than one loop reads them and they
    /// fit.
    fn keep(&mut self) {
        let plan = self.plan;
        let last = plan.lines.iter().map(|line| line.phase).max().unwrap_or(0);
        let is_read = |(_, line): &(usize, &Line<Op>)| {
            matches!(line.value, Value::Load(..)) && line.in_columns
        };
        let lines = || plan.lines.iter().enumerate().filter(is_read);
        let fits = lines().count() * self.loops() <= MAX_KEPT_VALUES;
        if self.team.items == 1 || plan.parts() > 1 || last == 0 || !fits {
            return;
        }
        let numbers: Vec<usize> = lines().map(|(number, _)| number).collect();
        for number in numbers {
            let loops = self.loops();
            self.put(1, &format!("float kept{number}[{loops}];"));
            self.kept.insert(number, false);
        }
    }

    fn row(&mut self, parts: usize) {
        match parts {
            1 => self.put(1, "uint r = s;"),
            _ => self.put(1, &format!("uint r = s / {parts};")),
        }
    }

    /// Writes the loop over the columns that computes the reductions of a
    /// phase, and the stores whose values it computes anyway.
    fn phase(
        &mut self,
        phase: usize,
        last: usize,
        left: &mut Vec<usize>,
        [from, to]: [&str; 2],
        guard: &str,
    ) {
        let plan = self.plan;
        let joins: Vec<usize> = (0..plan.joins.len())
            .filter(|&join| plan.joins[join].phase == phase)
            .collect();
        let mut needed = vec![false; plan.lines.len()];
        for &join in &joins {
            self.need(plan.joins[join].line, &mut needed);
        }
        let mut stores = vec![];
        left.retain(|&out| {
            let line = plan.stores[out].line;
            let now = phase == last || needed[line];
            if now {
                stores.push(out);
            }
            !now
        });
        for &out in &stores {
            self.need(plan.stores[out].line, &mut needed);
        }
        if joins.is_empty() && stores.is_empty() {
            return;
        }
        for &join in &joins {
            let start = match plan.joins[join].join {
                Join::Sum => format!("float j{join} = 0.0f, e{join} = 0.0f;"),
                Join::Max => format!("float j{join} = -INFINITY;"),
            };
            self.put(1, &start);
        }
        let items = self.team.items;
        if self.kept.is_empty() {
            let step = format!("c < {to}; c += {items}");
            self.put(1, &format!("for (uint c = {from}; {step}) {{"));
        } else {
            let loops = self.loops();
            self.put(1, "#pragma unroll");
            self.put(1, &format!("for (uint k = 0; k < {loops}; k++) {{"));
            self.put(2, &format!("uint c = u + k * {items};"));
            self.put(2, &format!("if (c >= {to})"));
            self.put(3, "continue;");
        }
        self.lines(2, |number| needed[number], &[]);
        for &join in &joins {
            let JoinCode { function, step, .. } = JoinCode::new(
                plan.joins[join].join,
                join,
                plan.joins[join].line,
            );
            self.functions.insert(function.to_owned());
            self.put(2, &step);
        }
        for &out in &stores {
            let store = &plan.stores[out];
            let at = self.at(&store.at);
            let line = format!("{guard}out{out}[{at}] = v{};", store.line);
            self.put(2, &line);
        }
        self.put(1, "}");
        if items == 1 {
            return;
        }
        let step = if self.team.across { self.team.rows } else { 1 };
        for &join in &joins {
            let JoinCode { team, name, .. } =
                JoinCode::new(plan.joins[join].join, join, 0);
            self.functions.insert(team.to_owned());
            self.put(
                1,
                &format!(
                    "j{join} = {name}(j{join}, tree, {items}, u, {step});"
                ),
            );
        }
    }

    /// Marks a line and the lines that it depends on, if they depend on the
    /// column.
    fn need(&self, line: usize, needed: &mut [bool]) {
        let it = &self.plan.lines[line];
        if !it.in_columns || needed[line] {
            return;
        }
        needed[line] = true;
        match &it.value {
            Value::Apply(_, args, _) => {
                args.iter().for_each(|&line| self.need(line, needed));
            }
            Value::Where(_, _, line) => self.need(*line, needed),
            Value::Load(..) | Value::Number(_) | Value::Joined(_) => {}
        }
    }
}

/// The code of a reduction.
struct JoinCode {
    function: &'static str,
    step: String,
    team: &'static str,
    name: &'static str,
}

impl JoinCode {
    fn new(join: Join, at: usize, line: usize) -> JoinCode {
        match join {
            Join::Sum => JoinCode {
                function: ADD,
                step: format!("j{at} = add(j{at}, v{line}, &e{at});"),
                team: TEAM_SUM,
                name: "team_sum",
            },
            Join::Max => JoinCode {
                function: LARGER,
                step: format!("j{at} = larger(j{at}, v{line});"),
                team: TEAM_MAX,
                name: "team_max",
            },
        }
    }
}
